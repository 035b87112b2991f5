/** Completion scripts for shells. They hold all words themselves: nothing is started while a person types. */

interface Word {
  readonly name: string;
  readonly summary: string;
}

export interface Completions {
  readonly commands: readonly (Word & {
    readonly subcommands: readonly string[];
    readonly options: readonly Word[];
  })[];
  /** Of the commands that take names of modules. */
  readonly modules?: readonly string[];
}

/** The script of a program for a shell: `bash`, `zsh` or `fish`. */
export function renderCompletion(shell: string, program: string, completions: Completions): string {
  if (shell === 'fish') return fish(program, completions);
  const script = bash(program, completions);
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script;
}

function bash(program: string, { commands, modules = [] }: Completions): string {
  const name = `_${program.replaceAll('-', '_')}`;
  const cases = commands.map(({ name: command, subcommands, options }) => {
    const words = [...subcommands, ...options.map((option) => option.name), '--help'];
    const others = command === 'doc' ? ` ${modules.join(' ')}` : '';
    return `    ${command}) words='${words.join(' ')}${others}' ;;`;
  });
  return [
    `${name}() {`,
    '  local cur prev word command= words=',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell.
    '  cur="${COMP_WORDS[COMP_CWORD]}"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell.
    '  prev="${COMP_WORDS[COMP_CWORD-1]}"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell.
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) ;; *) command="$word"; break ;; esac',
    '  done',
    '  case "$command" in',
    `    '') words='${commands.map((each) => each.name).join(' ')} --help --version' ;;`,
    ...cases,
    '  esac',
    ...(modules.length === 0
      ? []
      : [`  case "$prev" in -m|--module-name) words='${modules.join(' ')}' ;; esac`]),
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    `complete -o default -o bashdefault -F ${name} ${program}`,
    '',
  ].join('\n');
}

function fish(program: string, { commands, modules = [] }: Completions): string {
  const top = commands.map(({ name, summary }) => {
    return `complete -c ${program} -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`;
  });
  const inside = commands.flatMap(({ name, options, subcommands }) => {
    const when = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      ...subcommands.map((each) => `complete -c ${program} ${when} -f -a ${each}`),
      ...options.map(({ name: option, summary }) => {
        return `complete -c ${program} ${when} -l ${option.replace(/^--/, '')} -d ${quoted(summary)}`;
      }),
    ];
  });
  const words = modules.join(' ');
  return [
    ...top,
    ...inside,
    ...(modules.length === 0
      ? []
      : [
          `complete -c ${program} -n '__fish_seen_subcommand_from doc' -f -a '${words}'`,
          `complete -c ${program} -n '__fish_seen_subcommand_from run' -s m -x -a '${words}'`,
        ]),
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
