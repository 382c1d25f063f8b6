import type { Rule } from '../rule.ts';

/** An image that is not there. */
export const imageNotPulled: Rule = {
  id: 'image-not-pulled',
  area: 'pod',
  cause: 'the image of a container cannot be pulled',
  symptom: '`ImagePullBackOff`, `ErrImagePull`',
  rulesOut: 'a container that runs with that image',
  next: 'kubectl describe pod POD',
  kubeWords: /ImagePullBackOff|ErrImagePull|InvalidImageName|Failed to pull image/,
  makes: 'never-started',
  whenReady: true,
};
