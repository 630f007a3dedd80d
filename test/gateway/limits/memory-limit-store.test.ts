import { MemoryLimitStore } from '../../../src/gateway/limits/memory-limit-store.ts';
import { allowanceContract } from './allowance-contract.ts';
import { limitStoreContract } from './limit-store-contract.ts';

limitStoreContract('in memory', (now) => new MemoryLimitStore(now));
allowanceContract('in memory', (now) => new MemoryLimitStore(now));
