# source this file: ROS's tools, Python and Pintle's launch files then see the bridge's packages.
_pintle_ros1=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case :${ROS_PACKAGE_PATH:-}: in
  *:"$_pintle_ros1/share":*) ;;
  *) export ROS_PACKAGE_PATH=$_pintle_ros1/share:${ROS_PACKAGE_PATH:-/usr/share} ;;
esac
case :${PYTHONPATH:-}: in
  *:"$_pintle_ros1/python":*) ;;
  *) export PYTHONPATH=$_pintle_ros1/python${PYTHONPATH:+:$PYTHONPATH} ;;
esac
# some of ROS's programs start "python3", and only Debian's own has rospy
if [ "$(readlink -f "$(command -v python3)")" != "$(readlink -f /usr/bin/python3)" ]; then
  export PATH=/usr/bin:$PATH
fi
export ROS_MASTER_URI=${ROS_MASTER_URI:-http://localhost:11311}
unset _pintle_ros1
