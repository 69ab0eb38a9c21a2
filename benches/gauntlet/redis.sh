# Without a port and without files.
$UNDER redis-server --port 0 --unixsocket "$PWD/s" --save '' --appendonly no --daemonize no --logfile log >/dev/null &
server=$!
for i in $(seq 300); do redis-cli -s "$PWD/s" ping 2>/dev/null | grep -q PONG && break; sleep 0.1; done
redis-benchmark -s "$PWD/s" -n 25000 -q -t set,lpush,hset,zadd >/dev/null
redis-cli -s "$PWD/s" eval 'for i = 1, 100000 do redis.call("set", "k" .. i, string.rep("v", i % 100)) end return redis.call("dbsize")' 0
redis-cli -s "$PWD/s" llen mylist
redis-cli -s "$PWD/s" strlen k77777
redis-cli -s "$PWD/s" shutdown nosave
wait $server
echo "server: $?"
