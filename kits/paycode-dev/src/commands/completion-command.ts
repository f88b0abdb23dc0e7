import { exitCodes, UsageError } from '../command-error';
import type { Command } from './command';

interface Completed {
  name: string;
  firstWords: readonly string[];
  options: readonly string[];
}

/** The command that prints completion for these commands and itself. */
export function completionCommand(others: readonly Completed[]): Command {
  const shells = ['bash', 'zsh'];
  const all = [...others, { name: 'completion', firstWords: shells, options: [] }];
  return {
    name: 'completion',
    summary: 'prints completion for bash or zsh',
    help: `paycode-dev completion bash|zsh: completion of commands and options

  source <(paycode-dev completion bash)     # in ~/.bashrc
  source <(paycode-dev completion zsh)      # in ~/.zshrc, after compinit
`,
    firstWords: shells,
    wordsMax: 1,
    options: [],
    async run({ words: [shell], surroundings }) {
      if (shell !== 'bash' && shell !== 'zsh') throw new UsageError('completion needs the name of the shell: bash or zsh');
      surroundings.write(shell === 'bash' ? bash(all) : zsh(all));
      return Promise.resolve(exitCodes.good);
    },
  };
}

function casesOf(all: readonly Completed[]): string {
  return all
    .map(({ name, firstWords, options }) => `    ${name}) words="${[...firstWords, ...optionWords(options)].join(' ')}" ;;\n`)
    .join('');
}

function optionWords(options: readonly string[]): string[] {
  return [...options, 'json', 'help'].map(name => `--${name}`);
}

const namesOf = (all: readonly Completed[]): string => ['help', ...all.map(({ name }) => name)].join(' ');

function bash(all: readonly Completed[]): string {
  return `_paycode_dev() {
  local words
  if [ "$COMP_CWORD" -eq 1 ]; then words="${namesOf(all)}"; else
    case "\${COMP_WORDS[1]}" in
${casesOf(all)}    help) words="${namesOf(all)}" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _paycode_dev paycode-dev
`;
}

function zsh(all: readonly Completed[]): string {
  // zsh keeps the words of the line in `words`: the candidates have another name.
  return `#compdef paycode-dev
_paycode_dev() {
  local candidates
  if (( CURRENT == 2 )); then candidates="${namesOf(all)}"; else
    case "\${words[2]}" in
${casesOf(all).replaceAll(' words="', ' candidates="')}    help) candidates="${namesOf(all)}" ;;
    esac
  fi
  compadd -- \${=candidates} || _files
}
compdef _paycode_dev paycode-dev
`;
}
