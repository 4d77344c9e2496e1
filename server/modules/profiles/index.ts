export { createProfiles, type Profile, type Profiles } from './service.ts';
