import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'github-models' });
