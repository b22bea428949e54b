import { PREFIX, SETTINGS } from '../../src/config/settings.ts';
import { code, markdownTable } from './markdown.ts';

/** No setting takes this text, so each schema says what it does take. */
const INVALID = '\u0000';

/** `docs/reference/settings.md`: every setting with its default and the values that it takes. */
export function settingsReference(): string {
  const rows = Object.entries(SETTINGS).map(([name, { schema, fallback, says, secret }]) => [
    code(`${PREFIX}${name}`),
    fallback === undefined ? '–' : code(fallback),
    values(schema),
    says + (secret === undefined ? '' : `. A secret: \`${PREFIX}${name}_FILE\` names a file that holds it.`),
  ]);
  return `# Settings

Every setting is a variable of the environment, read once at the start. An unknown name that begins with \`${PREFIX}\`, an
invalid value and a contradiction end the process before it does anything, with a message that names each.
\`recency config print\` shows the values in force and where each comes from.

${markdownTable(['setting', 'default', 'values', ''], rows)}
`;
}

function values(schema: (typeof SETTINGS)[keyof typeof SETTINGS]['schema']): string {
  const [issue] = schema.safeParse(INVALID).error?.issues ?? [];
  if (issue === undefined || issue.message.startsWith('is wrong')) return ''; // says what is wrong with that text, not what is right
  return issue.message.startsWith('names a file')
    ? 'a file that can be read'
    : issue.message.replace(/^must (be )?/, '');
}
