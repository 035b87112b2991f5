import { sh } from '../../shared/shell.ts';
import { type Collector, lines, rows } from './collector.ts';

/** Names of the host's ports on a Fibre Channel fabric. */
export const fibreChannel: Collector = {
  name: 'fibre_channel_wwn',
  script: sh`s fc; v /sys/class/fc_host/*/port_name`,
  parse: (sections) => ({
    fibre_channel_wwn: [...rows(sections, 'fc').values()].map((name) => name.replace(/^0x/, '')),
  }),
};

/** The host's name as an iSCSI initiator. */
export const iscsi: Collector = {
  name: 'iscsi',
  script: sh`f iscsi /etc/iscsi/initiatorname.iscsi`,

  parse(sections) {
    const line = lines(sections, 'iscsi').find((each) => each.startsWith('InitiatorName='));
    return { iscsi_iqn: line?.split('=').slice(1).join('=').trim() ?? '' };
  },
};

/** The host's name in NVMe over fabrics. */
export const nvme: Collector = {
  name: 'nvme',
  script: sh`f nvme /etc/nvme/hostnqn`,
  parse: (sections) => ({
    hostnqn:
      lines(sections, 'nvme')
        .find((line) => line.startsWith('nqn.'))
        ?.trim() ?? '',
  }),
};
