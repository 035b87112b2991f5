#!/bin/sh
# Records what ansible-vault writes. The salt is fixed, so that the same input must give the same file.
set -eu
cd "$(dirname "$0")"
printf 'first password\n' >first.password
printf '  zweites Paßwort \n' >second.password
export ANSIBLE_VAULT_ENCRYPT_SALT=0123456789abcdef0123456789abcdef
seal() { printf "$1" | ansible-vault encrypt --output "$2" --vault-id "$3" - 2>/dev/null; }
seal 'answer: 42\n' plain-1.1.vault first.password
seal 'answer: 42\n' labelled-1.2.vault prod@second.password
seal '' empty.vault first.password
seal '0123456789abcdef' one-block.vault first.password
seal '\377\376\000binary\200' binary.vault first.password
ansible-vault encrypt_string --vault-id prod@second.password --name token 's3cret {{ x }}' >inline.yml 2>/dev/null
