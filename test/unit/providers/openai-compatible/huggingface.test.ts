import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'huggingface' });
