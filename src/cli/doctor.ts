import type { Command } from 'commander';
import { counting, type Finding } from '../health/finding.ts';
import { action, defineCommand, interruptible } from './define-command.ts';
import { EXIT } from './exit-code.ts';

export function addDoctor(program: Command): void {
  const command = defineCommand(program, {
    usage: 'doctor',
    summary:
      'checks settings, servers, schema, indexes, permissions and lag, and says how to fix each problem; exits with 1 on a problem',
    example: 'doctor --json',
  });
  action(command, async (output) => {
    const { diagnose } = await import('../doctor/diagnose.ts');
    const findings = await interruptible(diagnose);
    const problems = findings.filter(({ state }) => state === 'problem').length;
    const warnings = findings.filter(({ state }) => state === 'warning').length;
    const text = [
      ...findings.map(findingText),
      `${counting(problems, 'problem')}, ${counting(warnings, 'warning')}.`,
    ].join('\n');
    await output.result({ problems, warnings, findings }, text);
    if (problems > 0) output.exitCode = EXIT.failed;
  });
}

const MARKS: Readonly<Record<Finding['state'], string>> = { fine: 'ok     ', warning: 'warning', problem: 'PROBLEM' };

function findingText({ area, check, state, detail, mend }: Finding): string {
  const lines = `${MARKS[state]}  ${area}: ${check}: ${detail}`.replaceAll('\n', `\n${' '.repeat(9)}`);
  return mend === undefined ? lines : `${lines}\n${' '.repeat(9)}→ ${mend}`;
}
