import { MemoryLimitStore } from '../../../../src/gateway/limits/memory-limit-store.ts';
import { allowanceContract } from '../../../harness/allowance-contract.ts';
import { limitBoundContract } from '../../../harness/limit-bound-contract.ts';
import { limitStoreContract } from '../../../harness/limit-store-contract.ts';
import { standingHoldContract } from '../../../harness/standing-hold-contract.ts';

limitStoreContract('in memory', (clock) => new MemoryLimitStore(clock));
allowanceContract('in memory', (clock) => new MemoryLimitStore(clock));
limitBoundContract('in memory', (clock) => new MemoryLimitStore(clock));
standingHoldContract('in memory', (clock) => new MemoryLimitStore(clock));
