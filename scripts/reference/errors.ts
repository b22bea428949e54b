import { PROBLEMS } from '../../src/contracts/problem.ts';
import { code, markdownTable } from './markdown.ts';

/** `docs/reference/errors.md`: every code of an HTTP error. */
export function errorsReference(): string {
  const rows = Object.entries(PROBLEMS).map(([name, [status, detail]]) => [code(name), String(status), detail]);
  return `# Errors of the HTTP API

An error has the type \`application/problem+json\` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)). Branch on \`code\`:
it never changes its meaning and is never removed. \`detail\` may say more than the text below, and its wording may change.
\`errors\` names every invalid part of the request, and \`request_id\` is in the log. A reply that is worth another try later
has \`Retry-After\`.

${markdownTable(['code', 'status', 'detail'], rows)}
`;
}
