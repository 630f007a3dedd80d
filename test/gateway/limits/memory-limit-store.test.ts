import { MemoryLimitStore } from '../../../src/gateway/limits/memory-limit-store.ts';
import { limitStoreContract } from './limit-store-contract.ts';

limitStoreContract('in memory', (now) => new MemoryLimitStore(now));
