import { writeFileSync } from 'node:fs';
import { clientTypes, TYPES_FILE } from './client-types.ts';

writeFileSync(TYPES_FILE, await clientTypes());
