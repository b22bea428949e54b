import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { dashboard, dashboardText, expressions, parseQuery } from '../support/deployed.ts';

const FILE = `${process.cwd()}/dashboard-in-memory.ts`;

/** A type as JSON has it: its enums are texts; the query of an annotation has fields of its data source. */
const AS_JSON = `
  type AsJson<T> = T extends string ? \`\${T}\`
    : T extends readonly (infer One)[] ? AsJson<One>[]
    : T extends object ? { [K in keyof T]: K extends 'target' ? AsJson<T[K]> & Record<string, unknown> : AsJson<T[K]> }
    : T;`;

/** What the compiler says of the dashboard as a value of the type that Grafana publishes (@grafana/schema). */
function schemaProblems(text: string): string[] {
  const source = `import type { Dashboard } from '@grafana/schema';\n${AS_JSON}\nexport const dashboard: AsJson<Dashboard> = ${text};\n`;
  const options: ts.CompilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: true, types: [] },
    ...{ module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === FILE || fileExists(name);
  host.getSourceFile = (name, ...others) =>
    name === FILE ? ts.createSourceFile(name, source, ts.ScriptTarget.ESNext) : getSourceFile(name, ...others);
  const program = ts.createProgram([FILE], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('deploy/grafana/recency.json', () => {
  it("is a dashboard by Grafana's own schema", () => {
    expect(schemaProblems(dashboardText)).toEqual([]);
    const wrong = dashboardText
      .replace('"schemaVersion": 39', '"schemaVersion": "39"')
      .replace('"mode": "absolute"', '"mode": "absolut"')
      .replace(/"gridPos": \{\s*"h"/, '"gridPos": { "height"');
    expect(schemaProblems(wrong)).toHaveLength(3);
  });

  it('has panels that do not overlap, each with an id and a name of its own in its row', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  });

  it('has queries in every panel, which Prometheus can parse', () => {
    for (const { type, title, targets = [] } of dashboard.panels) {
      expect(targets.length > 0, title).toBe(type !== 'row');
    }
    for (const { expr } of expressions) expect(parseQuery(expr).selectors.length, expr).toBeGreaterThan(0);
    for (const expr of ['sum(rate(a[5m])', 'sum by (a', 'a{b=c}', 'rate(a[5x])']) {
      expect(() => parseQuery(expr), expr).toThrow('not PromQL');
    }
  });
});
