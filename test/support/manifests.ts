/**
 * Checks of Kubernetes manifests. A schema says what must be there and of which type, and lets unknown fields pass, as a
 * cluster does; the types of TypeScript for the same schemas refuse those: a mistyped field would just not be in force.
 */
import ts from 'typescript';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: the tests look at parts of many kinds
  readonly [part: string]: any;
}

const FILE = 'test/support/rendered-manifests.ts';

function moduleOf(apiVersion: string): string {
  const models = apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator'
    : 'kubernetes-models';
  return `${models}/${apiVersion}`;
}

/** What is wrong with manifests by the schemas of Kubernetes, one line each. An unknown kind is wrong too. */
export async function schemaProblems(manifests: readonly Manifest[]): Promise<string[]> {
  const problems: string[] = [];
  for (const manifest of manifests) {
    const models = await import(moduleOf(manifest.apiVersion));
    try {
      new models[manifest.kind](manifest).validate();
    } catch (error) {
      problems.push(`${manifest.kind} ${manifest.metadata.name}: ${String(error)}`);
    }
  }
  return problems;
}

/** The same by their types: unknown fields. */
export function typeProblems(manifests: readonly Manifest[]): string[] {
  const source = manifests
    .map(({ apiVersion, kind, ...rest }, i) => {
      const literal = JSON.stringify({ apiVersion, kind, ...rest }, null, 1);
      return `import type { I${kind} as T${i} } from '${moduleOf(apiVersion)}';\nexport const m${i}: T${i} = ${literal};`;
    })
    .join('\n');
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name === FILE || fileExists(name);
  host.readFile = (name) => (name === FILE ? source : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === FILE ? ts.createSourceFile(name, source, ts.ScriptTarget.ESNext) : getSourceFile(name, ...rest);
  const program = ts.createProgram([FILE], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
