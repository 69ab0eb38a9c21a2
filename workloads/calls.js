// Work whose memory is the C library's, from compiled and interpreted JavaScript, from
// builtins, timers and threads of the pool.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const zlib = require('zlib');

function work(turn) {
  const items = [];
  for (let i = 0; i < 200; i++) items.push({ i, name: `n${i}${turn}`, deep: [i, { text: String(i) }] });
  const text = JSON.stringify(items);
  const data = zlib.gunzipSync(zlib.gzipSync(Buffer.from(text.repeat(3))));
  crypto.createHash('sha256').update(data).digest('hex');
  fs.readdirSync('/');
  new RegExp(`a${turn}+b`).exec(text);
  return JSON.parse(text).length;
}

let sum = 0;
for (let turn = 0; turn < 200; turn++) sum += work(turn);
setTimeout(() => fs.readFile(__filename, () => zlib.gzip(Buffer.alloc(1e5), () => console.log(sum))), 5);
