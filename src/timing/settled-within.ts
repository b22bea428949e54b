/** Waits for a promise, though not longer than this. Did it settle? What it comes to is not told. */
export async function settledWithin(pending: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: tooLate, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  const settled = pending.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
