/** The command `recency`. Hears signals before it loads anything else: that takes a quarter of a second. */
import './early-signals.ts';

await import('./command-line.ts');
