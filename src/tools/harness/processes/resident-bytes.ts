import { HttpClient } from '../http.ts';

const RESIDENT = /^process_resident_memory_bytes(?:\{.*\})? (\S+)$/m;

/** What a process occupies, bytes, as its own metrics say. @throws Error when they do not */
export async function residentBytes(metricsPort: number): Promise<number> {
  const client = new HttpClient(`http://127.0.0.1:${metricsPort}`);
  try {
    const { body } = await client.get('/metrics');
    const bytes = Number(RESIDENT.exec(body)?.[1]);
    if (!Number.isFinite(bytes)) throw new Error('the metrics of a consumer do not tell its memory');
    return bytes;
  } finally {
    client.close();
  }
}
