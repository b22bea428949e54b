import { ALL_SET, LEFT } from '../../src/mysql/session-variables.ts';
import { code, markdownTable } from './markdown.ts';

/** `docs/reference/session.md`: every session variable of the servers, and what Recency does with it. */
export function sessionReference(): string {
  const set = ALL_SET.map(({ name, value = '', shown, because }) => [
    code(name),
    shown ?? value.replaceAll("'", ''),
    because,
  ]);
  const left = LEFT.map(({ because, names }) => `${because}\n\n${names.map(code).join(', ')}.`);
  return `# Session variables of MySQL and MariaDB

Recency sets up each of its sessions before the first statement. Every session variable that decides what a statement returns, whether it is
refused, or which rows it writes has the value below, whatever the server's options and \`init_connect\` say. So the views must return the
same rows with these values as in the site's own sessions. If the set-up fails, the connection is not used. \`recency doctor\` compares the
values in effect (\`session\`).

## Set by Recency

Variables that a server does not have are left out.

${markdownTable(['variable', 'value', 'why'], set)}

## Left to the server

No value of these makes an answer wrong.

${left.join('\n\n')}
`;
}
