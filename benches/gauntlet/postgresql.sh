# A cluster of its own, which listens on a socket in this folder alone.
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
mkdir data sockets
"$bin/initdb" -D data -A trust >/dev/null 2>&1 || exit 1
$UNDER "$bin/postgres" -D data -c listen_addresses= -c unix_socket_directories="$PWD/sockets" -c fsync=off >log 2>&1 &
server=$!
for i in $(seq 600); do "$bin/pg_isready" -q -h "$PWD/sockets" && break; sleep 0.1; done
"$bin/psql" -XAtq -h "$PWD/sockets" -d postgres -f postgresql.sql
"$bin/pg_ctl" -D data -w -m fast stop >/dev/null
wait $server
echo "server: $?"
