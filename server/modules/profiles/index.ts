export { badgeOf, createProfiles, type Badge, type Profile, type Profiles } from './service.ts';
