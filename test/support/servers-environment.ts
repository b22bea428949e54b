import process from 'node:process';
import { folderForServers } from './memory-folder.ts';

/** Sets what the servers that the tests start inherit, unless the environment says something else. */
export function prepareForServers(): void {
  // Every server that is started, for the whole run or by one test, keeps its data there.
  process.env.TMPDIR ??= folderForServers();
  // Brokers that live for seconds gain nothing from Java's optimising compiler, whose work is half of their processor time.
  process.env.JDK_JAVA_OPTIONS ??= '-XX:TieredStopAtLevel=1';
}
