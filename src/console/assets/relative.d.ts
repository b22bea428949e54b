export function relativeTime(at: number, now: number): string;
