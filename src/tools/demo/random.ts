export { between, pick, powerLaw, type Random, seededRandom, shuffled } from '../harness/random.ts';
