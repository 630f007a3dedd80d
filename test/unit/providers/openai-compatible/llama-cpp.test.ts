import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'llama-cpp' });
