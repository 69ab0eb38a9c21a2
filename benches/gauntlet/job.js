// Maps and JSON for the engine, compression in its threads, and a worker.
const { Worker, isMainThread, parentPort } = require('worker_threads');
const zlib = require('zlib');

function table(entries) {
  const sums = new Map();
  for (let i = 0; i < entries; i++) {
    const key = `k${(i * 7919) % 30011}`;
    sums.set(key, (sums.get(key) ?? 0) + i);
  }
  return [...sums];
}

if (!isMainThread) {
  parentPort.postMessage(table(500000).length);
} else {
  const text = JSON.stringify(table(1500000));
  const parts = Array.from({ length: 12 }, (_, i) => new Promise((done, failed) => {
    zlib.deflate(Buffer.from(text + i), (error, out) => (error ? failed(error) : done(out.length)));
  }));
  parts.push(new Promise((done) => new Worker(__filename).on('message', done)));
  Promise.all(parts).then((sizes) => console.log(text.length, ...sizes));
}
