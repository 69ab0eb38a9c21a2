# Commits, packs, checks and histories.
git init -q -b main repository && cd repository || exit 1
git config user.name job && git config user.email job@localhost && git config gc.autoDetach false
for i in $(seq 8); do
    for file in 1 2 3; do seq "$i" "$file" $((i * 2000 * file)) > "file$file"; done
    git add . && git commit -qm "step $i"
done
git gc -q --aggressive && git fsck --no-dangling && git log --stat --format=%H | md5sum && git blame file3 | md5sum
git clone -q --no-local . ../clone && git -C ../clone log -p --format=%H | md5sum
