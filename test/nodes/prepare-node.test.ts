import { startNode } from '../support/nodes/nspawn.ts';
import { describePreparation } from '../support/nodes/preparation.ts';

/** Its kernel is this computer's: the steps that a kernel is asked for are proved on other machines. */
describePreparation({
  title: 'a container node without Python',
  architecture: 'amd64',
  start: async () => {
    const node = await startNode({ name: 'prep' });
    await node.exec('printf "/swapfile none swap sw,nofail 0 0\\n" >> /etc/fstab');
    return node;
  },
  variables: { allow_reboot: false },
});
