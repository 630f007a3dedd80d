import { pipedWorker, startLimitServer } from '../../../../harness/limit-pipe.ts';
import { allowanceContract } from '../../../../harness/allowance-contract.ts';
import type { FakeClock } from '../../../../harness/fake-clock.ts';
import { limitBoundContract } from '../../../../harness/limit-bound-contract.ts';
import { limitStoreContract } from '../../../../harness/limit-store-contract.ts';
import { standingHoldContract } from '../../../../harness/standing-hold-contract.ts';

const make = (clock: FakeClock) => pipedWorker(startLimitServer(clock), 0, clock).store;

limitStoreContract('of a worker', make, 30);
allowanceContract('of a worker', make);
limitBoundContract('of a worker', make, 30);
standingHoldContract('of a worker', make);
