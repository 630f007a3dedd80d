import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'nebius', url: 'https://api.tokenfactory.nebius.com/v1/chat/completions' });
