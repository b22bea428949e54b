import type { Mutation } from './mutation.ts';

const CAPTURE = 'capture/capture.ts';

/** The rules of capture. */
export const OF_CAPTURE: readonly Mutation[] = [
  {
    rule: 'a write of its own, the fence, precedes the hints of what capture has read',
    instead: 'hints are published as soon as their changes are read',
    patches: [
      {
        file: CAPTURE,
        from: 'hints.wanted.length > 0) {\n      await this.#save(fence);',
        to: 'hints.wanted.length > 0) {',
      },
    ],
    part: 'h',
    try: ['captured'],
  },
  {
    rule: 'a position is saved after the hints before it are published',
    instead: 'it is saved with the fence',
    patches: [
      {
        file: CAPTURE,
        from: '    const hints = derive(begin(), changes);',
        to: '    for (const { position = this.#published.position, nonce: proof } of echoes) this.#published = { ...this.#published, position, proof };\n    const hints = derive(begin(), changes);',
      },
    ],
    part: 'h',
    try: ['captured, killed once'],
  },
  {
    rule: 'the position proves itself by the write that comes first',
    instead: 'whatever comes first is believed',
    patches: [
      {
        file: 'capture/log-proof.ts',
        from: 'if (this.#awaited !== undefined && nonce !== this.#awaited) {',
        to: 'if (this.#awaited !== undefined && nonce === undefined) {',
      },
    ],
    part: 'h',
    try: ['captured, a log that is reset'],
  },
  {
    rule: 'after a gap the position of the present is taken before the new epoch begins',
    instead: 'it is taken afterwards',
    patches: [
      { file: CAPTURE, from: 'const position = await present();', to: "let position = '';" },
      {
        file: CAPTURE,
        from: '    // The write that saves it',
        to: '    position = await present();\n    // The write that saves it',
      },
    ],
    part: 'h',
    try: ['captured, a statement'],
  },
  {
    rule: 'a gap begins a new epoch',
    instead: 'capture only goes on at the present',
    patches: [{ file: CAPTURE, from: 'await newEpoch(', to: 'void (' }],
    part: 'h',
    try: ['captured, a statement'],
  },
  {
    rule: 'a row that was set back is not written again in the old count',
    instead: 'it is, and says of later changes that they are published',
    patches: [{ file: 'mysql/capture.ts', from: 'const least = Math.max(published, writes);', to: 'const least = 0;' }],
    part: 'h',
    try: ['captured, a row that is set back'],
  },
];
