import { MemoryLimitStore } from '../../../src/gateway/limits/memory-limit-store.ts';
import { allowanceContract } from './allowance-contract.ts';
import { limitBoundContract } from './limit-bound-contract.ts';
import { limitStoreContract } from './limit-store-contract.ts';
import { standingHoldContract } from './standing-hold-contract.ts';

limitStoreContract('in memory', (clock) => new MemoryLimitStore(clock));
allowanceContract('in memory', (clock) => new MemoryLimitStore(clock));
limitBoundContract('in memory', (clock) => new MemoryLimitStore(clock));
standingHoldContract('in memory', (clock) => new MemoryLimitStore(clock));
