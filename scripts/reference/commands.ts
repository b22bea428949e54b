import type { Command } from 'commander';
import { defineProgram } from '../../src/cli/program.ts';
import { code, markdownTable } from './markdown.ts';

/** `docs/reference/commands.md`: every command with its arguments and options, in the order of the help. */
export async function commandsReference(): Promise<string> {
  const program = await defineProgram();
  return `# Commands

A command is called as \`recency NAME\`; \`recency NAME --help\` says the same as this page. With \`--json\` the result is one
JSON object on stdout, and everything else goes to stderr. A list is a field of that object, and is empty where nothing was found. Only what goes on
by itself prints one object per line: \`bench\` of all, and \`capture --dry-run\`.

${markdownTable(
  ['exit code', ''],
  [
    ['0', 'Done.'],
    [
      '1',
      'It failed, and stderr says why: also when there is nothing with the id that was given. Or `doctor` found a problem.',
    ],
    ['2', 'It was called wrongly, and did nothing.'],
    ['3', '`verify` and `repair`: something differs, or cannot be decided.'],
  ],
)}

${sections(program, 'recency').join('\n\n')}
`;
}

function sections(parent: Command, prefix: string): string[] {
  return visible(parent).flatMap((command) => {
    const name = `${prefix} ${command.name()}`;
    return [section(command, name), ...sections(command, name)];
  });
}

function visible(parent: Command): readonly Command[] {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .filter((command) => command.name() !== 'help');
}

function section(command: Command, name: string): string {
  const args = command.registeredArguments.map((argument) => [
    code(argument.required ? `<${argument.name()}>` : `[${argument.name()}]`),
    argument.description,
  ]);
  const own = command.options.filter((option) => option.long !== '--json'); // the same for all
  const options = own.map((option) => [code(option.flags), describe(option)]);
  const rows = [...args, ...options];
  return [`## ${name}`, command.description(), ...(rows.length > 0 ? [markdownTable(['', ''], rows)] : [])].join(
    '\n\n',
  );
}

function describe({ description, argChoices, defaultValue }: Command['options'][number]): string {
  const notes = [
    ...(argChoices === undefined ? [] : [`one of ${argChoices.map(code).join(', ')}`]),
    ...(defaultValue === undefined || typeof defaultValue === 'boolean'
      ? []
      : [`default: ${code(String(defaultValue))}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}
