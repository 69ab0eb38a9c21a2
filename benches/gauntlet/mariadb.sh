# A server of its own, without a port.
own="--no-defaults --user=root --datadir=$PWD/data --socket=$PWD/s"
mkdir data
mariadb-install-db --no-defaults --user=root --datadir="$PWD/data" --auth-root-authentication-method=normal >/dev/null 2>&1 || exit 1
$UNDER mariadbd $own --pid-file="$PWD/pid" --skip-networking >log 2>&1 &
server=$!
for i in $(seq 600); do mariadb-admin --no-defaults -uroot -S "$PWD/s" ping >/dev/null 2>&1 && break; sleep 0.1; done
mariadb --no-defaults -uroot -S "$PWD/s" < mariadb.sql
mariadb-admin --no-defaults -uroot -S "$PWD/s" shutdown
wait $server
echo "server: $?"
