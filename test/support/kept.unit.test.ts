import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished, vi } from 'vitest';
import { hashOf, keptFolder } from './kept.ts';

const KIND = `kept-test-${process.pid}`;
const PLACE = join('.recency', KIND);

const make = () => {
  onTestFinished(() => rmSync(PLACE, { recursive: true, force: true }));
  return vi.fn((folder: string) => writeFileSync(join(folder, 'made'), 'whole'));
};

it('a folder is made once, and then kept', () => {
  const making = make();
  for (const _ of ['first', 'second']) {
    expect(readFileSync(join(keptFolder(KIND, 'key', making), 'made'), 'utf8')).toBe('whole');
  }
  expect(making).toHaveBeenCalledTimes(1);
  expect(readdirSync(PLACE)).toEqual(['key']);
});

it('the lock of a process that is dead holds nobody up', () => {
  const making = make();
  const { pid } = spawnSync(process.execPath, ['--version']);
  mkdirSync(PLACE, { recursive: true });
  writeFileSync(join(PLACE, 'key.lock'), String(pid));
  expect(existsSync(join(keptFolder(KIND, 'key', making), 'made'))).toBe(true);
});

it('what fails is not kept, and is tried again', () => {
  const making = make();
  const failing = () => {
    throw new Error('no space left');
  };
  expect(() => keptFolder(KIND, 'key', failing)).toThrow('no space left');
  expect(readdirSync(PLACE)).toEqual([]);
  expect(existsSync(keptFolder(KIND, 'key', making))).toBe(true);
});

it('the hash is that of names and contents', () => {
  expect(hashOf('bin', 'package.json')).toBe(hashOf('bin', 'package.json'));
  expect(hashOf('bin')).not.toBe(hashOf('package.json'));
});
