/**
 * Preloaded by each process of the harness: when its parent is gone, however it ended, the channel between them closes,
 * and this process ends as after a SIGTERM.
 */
import process from 'node:process';

process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
