import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'together' });
