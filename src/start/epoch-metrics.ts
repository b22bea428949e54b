import { Counter, type Registry } from 'prom-client';

/** Counts new epochs that this process began, each an alarm. */
export function epochCounter(registry: Registry): () => void {
  const counter = new Counter({
    name: 'recency_new_epochs_total',
    help: 'New epochs begun by this process, because a server was another one or tasks were lost. Each makes every index cold.',
    registers: [registry],
  });
  return () => counter.inc();
}
