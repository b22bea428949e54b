import type { ApplyRequest } from '../contact-index.ts';

/** In apply.lua: there was no nonce. */
const NO_NONCE = '-';

/** Groups requests with the same changes: in a fan-out, nearly all of them. */
export function groupsOf(requests: readonly ApplyRequest[]): ApplyRequest[][] {
  const groups = new Map<string, ApplyRequest[]>();
  let last: ApplyRequest[] = [];
  for (const request of requests) {
    if (!saysTheSame(request, last[0])) {
      const text = changesText(request);
      last = groups.get(text) ?? [];
      groups.set(text, last);
    }
    last.push(request);
  }
  return [...groups.values()];
}

function saysTheSame({ changes }: ApplyRequest, other: ApplyRequest | undefined): boolean {
  const [one, first] = [changes[0], other?.changes[0]];
  return changes.length === 1 && other?.changes.length === 1 && one?.id === first?.id && one?.at === first?.at;
}

function changesText({ changes }: ApplyRequest): string {
  return changes.map(({ id, at }) => `${id} ${at}`).join(' ');
}

/** The arguments of apply.lua for users with the same changes. All nonces are one argument, because each argument has a cost. */
export function groupArguments(group: readonly ApplyRequest[]): (string | number)[] {
  const changes = group[0]?.changes ?? [];
  const seen = group.map((request) => request.seen || NO_NONCE).join(' ');
  return [changes.length, ...changes.flatMap(({ id, at }) => [id, at]), seen];
}
