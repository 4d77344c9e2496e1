export { ATTENTION_TOPIC, createAttention, type Attention } from './service.ts';
