import 'reflect-metadata';
import { configureGlobal } from 'fast-check';

// The same values in each run: a change is judged by itself. `SLUICE_TEST_SEED` draws others.
configureGlobal({ seed: Number(process.env.SLUICE_TEST_SEED ?? 1) });
