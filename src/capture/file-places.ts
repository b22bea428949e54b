import { isMap, isNode, isScalar, LineCounter, type ParsedNode, parseDocument } from 'yaml';

/** Where in the file something is, and what is wrong there. */
export interface FileProblem {
  /** Characters from the start of the file. */
  readonly offset: number;
  readonly message: string;
}

/** A YAML file that knows where everything in it stands. */
export class YamlFile {
  /** How people call it. */
  readonly name: string;
  readonly #lines = new LineCounter();
  readonly #document;

  constructor(text: string, name: string) {
    this.name = name;
    // Whole numbers as BigInt: an id above 2^53 must not be rounded.
    this.#document = parseDocument(text, { lineCounter: this.#lines, intAsBigInt: true, prettyErrors: false });
  }

  /** What is not YAML; empty: `value` has all of it. */
  get problems(): FileProblem[] {
    return this.#document.errors.map(({ pos, message }) => ({ offset: pos[0], message }));
  }

  get value(): unknown {
    return this.#document.toJS();
  }

  /** Where the value at a path stands; of what is missing, where it should be. */
  offsetOf(path: readonly PropertyKey[]): number {
    for (let length = path.length; length > 0; length--) {
      const node = this.#document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return node.range[0];
    }
    return this.#document.contents?.range?.[0] ?? 0;
  }

  /** Where a key of the map at a path stands. */
  offsetOfKey(path: readonly PropertyKey[], key: string): number {
    const map = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    const pair = isMap<ParsedNode>(map)
      ? map.items.find((one) => isScalar(one.key) && one.key.value === key)
      : undefined;
    return pair?.key.range?.[0] ?? this.offsetOf(path);
  }

  /** As an editor finds it: `capture.yaml:3:5`, both counted from 1. */
  at(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.name}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  }
}
