import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds that test files took when all ran, as `npm run test:times -- --record` wrote them; files that are not there take few. */
export const RECORDED = new URL('longest-files.json', import.meta.url);

/**
 * Begins the files that take longest, so that none of them is left alone at the end. A fresh clone has no times of its own, and vitest then
 * goes by the files' sizes, of which a test of few lines with many processes has little.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = new Map<string, number>(Object.entries(JSON.parse(readFileSync(RECORDED, 'utf8'))));
    const secondsOf = ({ moduleId }: TestSpecification) => seconds.get(relative(process.cwd(), moduleId)) ?? 0;
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const placeOf = ({ project }: TestSpecification) => projects.indexOf(project.name);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other) || secondsOf(other) - secondsOf(one));
  }
}
