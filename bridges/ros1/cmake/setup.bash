# source this file: ROS's tools, Python and Pintle's launch files then see the bridge's packages.
_pintle_ros1=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# the nodes before those of the same name; messages after, so that a team's own custom_msgs, which has
# more of them, is the one that everybody sees
case :${ROS_PACKAGE_PATH:-}: in
*:"$_pintle_ros1/share":*) ;;
*)
  _pintle_before=
  for _pintle_package in "$_pintle_ros1"/share/*/; do
    if ! [ -e "$_pintle_package/msg" ] || [ -e "$_pintle_package/launch" ]; then
      _pintle_before=$_pintle_before${_pintle_package%/}:
    fi
  done
  export ROS_PACKAGE_PATH=$_pintle_before${ROS_PACKAGE_PATH:-/usr/share}:$_pintle_ros1/share
  export PYTHONPATH=${PYTHONPATH:+$PYTHONPATH:}$_pintle_ros1/python
  unset _pintle_before _pintle_package
  ;;
esac
# some of ROS's programs start "python3", and only Debian's own has rospy
if [ "$(readlink -f "$(command -v python3)")" != "$(readlink -f /usr/bin/python3)" ]; then
  export PATH=/usr/bin:$PATH
fi
export ROS_MASTER_URI=${ROS_MASTER_URI:-http://localhost:11311}
unset _pintle_ros1
