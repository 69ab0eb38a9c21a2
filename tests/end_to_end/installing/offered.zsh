# Prints what zsh would offer for a command line: zsh -f offered.zsh FUNCTIONS LINE
# Completion works in the line editor of an interactive shell only, so there is one behind a
# pseudo-terminal. Calls of compadd that only fill arrays offer nothing.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "
PROMPT=
fpath=('$1' \$fpath)
autoload -Uz compinit && compinit -u -D
compadd() {
    case \" \$* \" in *' -'[OAD]' '*) builtin compadd \"\$@\"; return ;; esac
    local -a offered
    builtin compadd -O offered \"\$@\"
    for word in \$offered; do print -r -- \"offered: \$word\"; done
    builtin compadd \"\$@\"
}
# From the line editor itself: before it runs the terminal would take ^U for its own.
zle-line-init() { print -r -- rea''dy }
zle -N zle-line-init"
zpty -r shell ready '*ready*'
zpty -n -w shell "$2"$'\t'
zpty -w shell $'\x15'"print fini''shed"
zpty -r shell text '*finished*'
zpty -d shell
print -r -- $text
