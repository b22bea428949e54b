import { type SentStatements, sentStatements } from './sent-statements.ts';

interface Purpose {
  readonly purpose: string;
  readonly index: string;
}

const OWN = 'unique (user_id, contact_id)';
const BY_USER = 'an index that begins with user_id';
const FOLLOWERS = '(contact_id, user_id, …)';
const PHOTOS = '(owner_id, audience, uploaded_at, id)';
const OUTBOX = '`recency_outbox_published`, of Recency';

const PAGE = 'A page of the plain query';

/** By the name of the statement, in the order of the page. */
export const PURPOSES: Readonly<Record<string, Purpose>> = {
  'candidates-of-one': { purpose: "The candidates of one user's narrowed answer, as they are now.", index: OWN },
  'candidates-of-many': { purpose: 'The same of several users: for digests, and under load.', index: OWN },
  'whole-list-of-one': {
    purpose: 'All rows of a user who has so few that no index is kept; it counts them.',
    index: BY_USER,
  },
  'whole-list-of-many': { purpose: 'The same of several users: for digests, and under load.', index: BY_USER },
  'plain-any': { purpose: 'The plain query: the first page, out of all contacts.', index: BY_USER },
  'plain-friends': { purpose: 'The same, of those whom the user calls friends.', index: BY_USER },
  'plain-family': { purpose: 'The same, of family.', index: BY_USER },
  'plain-friends_or_family': { purpose: 'The same, of either.', index: BY_USER },
  'plain-bell': { purpose: 'The same, of those marked with a bit that RECENCY_RELATIONS names.', index: BY_USER },
  'plain-below': { purpose: `${PAGE}, after the first.`, index: BY_USER },
  'plain-since': { purpose: `${PAGE}, since a time.`, index: BY_USER },
  'plain-since-below': { purpose: `${PAGE}, since a time, after the first.`, index: BY_USER },
  'plain-unseen': { purpose: `${PAGE} of what is new to the user; also counts it.`, index: BY_USER },
  'plain-unseen-since-below': { purpose: `${PAGE} of what is new, since a time, after the first.`, index: BY_USER },
  'photos-4': { purpose: 'The newest photos of up to 4 pairs of contact and audience.', index: `${OWN}; ${PHOTOS}` },
  'photos-16': { purpose: 'The same of up to 16.', index: `${OWN}; ${PHOTOS}` },
  'photos-80': { purpose: 'The same of up to 80.', index: `${OWN}; ${PHOTOS}` },
  ...ofSource('newest first', 'The newest photos of one contact, in up to'),
  ...ofSource('oldest first', 'What is new from one contact, oldest first, in up to'),
  'explained-contact': { purpose: 'One pair, and how many contacts are above it.', index: BY_USER },
  pairs: { purpose: 'Pairs as they are now, for a refresh.', index: OWN },
  neighbours: { purpose: 'The pairs of one contact with a range of followers, for a fan-out.', index: FOLLOWERS },
  followers: { purpose: 'A page of the followers of a contact.', index: FOLLOWERS },
  'followers-of-several': { purpose: 'The first followers of up to 32 contacts.', index: FOLLOWERS },
  'followers-through': { purpose: 'The same, up to the end of a segment.', index: FOLLOWERS },
  'follower-at': { purpose: 'Where a segment of a large audience ends.', index: FOLLOWERS },
  'watched-followers': { purpose: 'Followers whom a watch concerns.', index: `${OWN}; ${FOLLOWERS}` },
  'top-of-one': { purpose: "The rows that one user's index is built from; they answer as well.", index: BY_USER },
  'top-of-many': { purpose: 'The rows that the indexes of several users are built from.', index: BY_USER },
  'rows-of-each': { purpose: 'How many rows each user has: whether an index pays, and for how long.', index: BY_USER },
  'users-among': {
    purpose: 'Which of these users have contacts, or more than so many: for jobs, and whether an index pays.',
    index: BY_USER,
  },
  'users-next': { purpose: 'The next users, for a page of a job.', index: BY_USER },
  'user-next': { purpose: 'The next user.', index: BY_USER },
  'user-last': { purpose: 'The last user of a range.', index: BY_USER },
  'users-ahead': { purpose: 'How many users the next rows have: for the estimate of a job.', index: BY_USER },
  'estimate-all': { purpose: 'MySQL’s estimate of the number of rows.', index: 'none: EXPLAIN reads nothing' },
  'estimate-each': { purpose: 'The same of one user, in the mean.', index: 'none: EXPLAIN reads nothing' },
  'estimate-range': {
    purpose: 'MySQL’s estimate of the number of rows of a range of users.',
    index: 'none: EXPLAIN reads nothing',
  },
  'all-contacts': { purpose: "All of a user's rows, to check answers.", index: BY_USER },
  ...ofAudiences('compared-pairs', 'Last uploads by both views, to check them, in', `${OWN}; ${PHOTOS}`),
  ...ofAudiences('newest-of', 'The newest photos of uploaders, to check last uploads, in', PHOTOS),
  'contacts-from': { purpose: "A user's next contacts, for a sample.", index: OWN },
  'any-pairs': { purpose: 'Any rows, for a sample.', index: 'none: it stops at its limit' },
  'any-photo': { purpose: 'Is there any photo?', index: 'none: it stops at the first' },
  'rechecks-insert': { purpose: 'Keeps pairs whose rows were older than their tasks.', index: OUTBOX },
  'rechecks-claim': { purpose: 'Claims those that are due: looks, locks, leases.', index: OUTBOX },
  'rechecks-delete': { purpose: 'Removes those that are done.', index: 'the primary key' },
  'rechecks-all': { purpose: 'All that wait, for the barrier of a check.', index: OUTBOX },
  'rechecks-of-users': { purpose: 'Those of some users.', index: OUTBOX },
  plans: {
    purpose: 'What the views have, and the plans of the questions: at the start, and in doctor.',
    index: 'none',
  },
};

function ofSource(order: string, purpose: string): Record<string, Purpose> {
  const name = order.replace(' ', '-');
  return Object.fromEntries(
    [4, 16, 64].map((size) => [
      `source-photos-${name}-${size}`,
      { purpose: `${purpose} ${size} audiences.`, index: `${OWN}; ${PHOTOS}` },
    ]),
  );
}

function ofAudiences(name: string, purpose: string, index: string): Record<string, Purpose> {
  const sizes = [4, 16, 63].map((size) => [`${name}-${size}`, { purpose: `${purpose} ${size} audiences.`, index }]);
  return Object.fromEntries(sizes);
}

const USUAL = ['contacts · shared · column', 'contacts · shared · column · named bits, extra columns'];

/** `docs/reference/sql.md`: every statement about a kind, with its purpose and the index that serves it. */
export async function sqlReference(): Promise<string> {
  const sent = await sentStatements();
  const sections = Object.entries(PURPOSES).map(([name, about]) => section(name, about, sent));
  return `# SQL

Every statement that Recency asks about contacts, with the index that must serve it. \`doctor\` checks these indexes, by EXPLAIN. The texts are those
for the usual site: contacts are users, the view has \`last_upload_at\` and \`since\`, and nobody has marked anything as seen yet.

What changes them, and nothing else does:

- Another kind has the names of its own views and columns (\`recency_groups\`, \`group_id\`).
- With RECENCY_SEPARATE_IDS a user is not compared with a contact.
- A view without \`last_upload_at\` has it derived from the photos, one look-up an audience.
- Once something is marked as seen, the cursors in \`recency_seen\` are joined.
- RECENCY_RELATIONS adds \`bits\`; a column \`extra_…\` is passed on.

All of these forms are compared with the files in \`test/mysql/golden\`. What a view has is read from \`information_schema.COLUMNS\` when a process
starts, and again when a column turns out to be unknown. Ids in the index column are those of the reference schema.

${sections.join('\n\n')}
`;
}

function section(name: string, { purpose, index }: Purpose, sent: SentStatements): string {
  const texts = [...(sent.get(name) ?? [])];
  const usual = USUAL.map((form) => texts.find(([, forms]) => forms.includes(form))).find(
    (found) => found !== undefined,
  );
  const [text = ''] = usual ?? [];
  const shown = text.startsWith('sha256 ') ? '' : `\n\n\`\`\`sql\n${outdented(text)}\n\`\`\``;
  return `## ${name}\n\n${purpose} Index: ${index}.${shown}`;
}

/** Without the indentation that it has where it is written. */
function outdented(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const indents = lines.slice(lines[0]?.startsWith(' ') ? 0 : 1).map((line) => line.search(/\S/));
  const least = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line) => (line.startsWith(' ') ? line.slice(least) : line)).join('\n');
}
