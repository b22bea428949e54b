import { expect, it } from 'vitest';
import { runProgram } from '../../../src/tools/devservers/launch/machine.ts';

it('a program that fails is told with the beginning and the end of what it said', async () => {
  const failing = runProgram('sh', ['-c', 'seq 1 100; exit 3']);
  await expect(failing).rejects.toThrow(/failed \(exit 3\):\n1\n2\n[\d\n]+\n12\n… 76 lines …\n89\n[\d\n]+\n100$/);
  await expect(runProgram('sh', ['-c', 'seq 1 24; exit 3'])).rejects.toThrow(/exit 3\):\n1\n[\d\n]+\n24$/);
});
