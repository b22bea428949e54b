import { type Html, html } from '../../../../console/html.ts';
import type { FaultState } from '../fault-desk.ts';

/** What may be broken. @param isOpen whether the buttons work */
export function faultsView(state: FaultState, isOpen: boolean): Html {
  const { consumers, killed, mayFlush, flushes, broker } = state;
  const act = (action: string, label: string, name = '') => button({ action, label, name, isOpen });
  return html`<h2>Break something</h2>
<ul class="breakable">
${consumers.map(({ name, pid }) => html`<li data-key="${name}"><span><strong>${name}</strong> <small>process ${pid ?? ''}</small></span>${act('kill', `Kill ${name}`, name)}</li>`)}
${killed.map((name) => html`<li data-key="${name}"><span><strong>${name}</strong> <small class="problem">killed; another one is started in a moment</small></span></li>`)}
<li data-key="redis"><span><strong>Redis</strong> <small>${redisText(mayFlush, flushes)}</small></span>${mayFlush && act('flush', 'Flush Redis')}</li>
${broker !== 'none' && brokerLine(broker, act)}
</ul>
<p class="hint">Answers go on meanwhile. The counter above says whether they stay right.</p>`;
}

function redisText(mayFlush: boolean, flushes: number): string {
  if (!mayFlush) return 'others may use this server, so it is not flushed';
  if (flushes === 0) return 'holds all indexes';
  return `flushed ${flushes === 1 ? 'once' : `${flushes} times`}; indexes are built again as they are read`;
}

function brokerLine(broker: FaultState['broker'], act: (action: string, label: string) => Html): Html {
  const isStopped = broker === 'stopped';
  const note = isStopped
    ? html`<small class="problem">stands still; tasks wait in the outbox</small>`
    : html`<small>carries the tasks</small>`;
  return html`<li data-key="broker"><span><strong>Kafka</strong> ${note}</span>${isStopped ? act('continue-broker', 'Continue the broker') : act('stop-broker', 'Stop the broker')}</li>`;
}

interface FaultButton {
  readonly action: string;
  readonly label: string;
  readonly name: string;
  readonly isOpen: boolean;
}

function button({ action, label, name, isOpen }: FaultButton): Html {
  return html`<form method="post" action="/faults/${action}" data-act><input type="hidden" name="name" value="${name}"><button class="danger"${!isOpen && html` disabled`}>${label}</button></form>`;
}
