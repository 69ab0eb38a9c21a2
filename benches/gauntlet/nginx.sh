# A daemon, whose workers become another user.
mkdir -p logs tmp
seq 20000 > file.txt
nginx -p "$PWD" -c "$PWD/nginx.conf" -e "$PWD/logs/error" || exit 1
for i in $(seq 300); do [ -S s ] && break; sleep 0.1; done
curl -s --compressed --unix-socket "$PWD/s" 'http://localhost/file.txt?[1-600]' | md5sum
pid=$(cat logs/pid)
nginx -p "$PWD" -c "$PWD/nginx.conf" -e "$PWD/logs/error" -s quit
while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
