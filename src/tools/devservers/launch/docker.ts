import type { ContainerRuntimeClient } from 'testcontainers';

/** testcontainers, and the daemon that answered it. */
export interface Docker {
  readonly testcontainers: typeof import('testcontainers');
  readonly client: ContainerRuntimeClient;
}

/** Looks for a Docker daemon. Returns a reason where there is none, or where testcontainers is not installed. */
export async function findDocker(): Promise<Docker | string> {
  const library = await loadLibrary();
  if (library === undefined) return 'testcontainers, a development dependency, is not installed';
  try {
    return { testcontainers: library, client: await library.getContainerRuntimeClient() };
  } catch (error) {
    return `no Docker daemon answers (${error instanceof Error ? error.message : error})`;
  }
}

/** A development dependency: a package installed for production works without it. */
async function loadLibrary(): Promise<Docker['testcontainers'] | undefined> {
  try {
    return await import('testcontainers');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
