/**
 * Loaded first by each process of a rig: when the one that started it is gone, however it went, the channel
 * between the two closes, and this process ends as after a SIGTERM.
 */
import process from 'node:process';

process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
