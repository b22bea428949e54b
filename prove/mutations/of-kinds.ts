import type { Mutation } from './mutation.ts';

const PLAN = 'consumers/work-plan.ts';

/** Rules that only a kind which is not of users needs, or several kinds in one Redis. */
export const OF_KINDS: readonly Mutation[] = [
  {
    rule: 'a task of a membership looks at the side of its user',
    instead: 'the other side is refreshed, as if groups had indexes',
    patches: [
      {
        file: PLAN,
        from: 'return areUsers ? [own, { user: contact, contact: user }] : [own];',
        to: 'return areUsers ? [own, { user: contact, contact: user }] : [{ user: contact, contact: user }];',
      },
    ],
    try: ['groups'],
  },
  {
    rule: 'photos of groups are fanned out',
    instead: 'only photos of users are',
    patches: [
      {
        file: PLAN,
        from: '    else owners.add(about.owner);',
        to: '    else if (kind.areUsers) owners.add(about.owner);',
      },
    ],
    try: ['groups'],
  },
  {
    rule: 'a task is work for the indexes of its own kind',
    instead: "every kind's indexes follow the tasks of contacts",
    patches: [{ file: PLAN, from: 'about.kind.name !== kind.name', to: "about.kind.name !== 'contacts'" }],
    try: ['both kinds'],
  },
  {
    rule: 'each kind has keys of its own',
    instead: 'the indexes of all kinds have the same keys',
    patches: [
      {
        file: 'index/redis/keys.ts',
        from: "return name === CONTACTS.name ? ''",
        to: "return name !== '' ? ''",
      },
    ],
    try: ['both kinds'],
  },
  {
    rule: 'a change of a user drops their index of every kind',
    instead: 'only that of contacts is dropped',
    patches: [
      {
        file: PLAN,
        from: '(about.isDeleted ? forgotten : dropped).add(about.user);',
        to: 'if (kind.areUsers) (about.isDeleted ? forgotten : dropped).add(about.user);',
      },
    ],
    try: ['groups, a setting'],
  },
];
